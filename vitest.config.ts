import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

const PROCESSES = ['test/scenarios/real/*.test.ts', 'test/scenarios/chaos/*.test.ts']

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its name, and get the source.
    alias: [
      { find: /^simba-xstate$/, replacement: source('index.ts') },
      { find: /^simba-xstate\/(machines|decorators|nestjs)$/, replacement: source('$1/index.ts') },
      { find: /^simba-xstate\/testing$/, replacement: source('testing.ts') },
      { find: /^simba-xstate\/(memory|sqlite|redis|zookeeper)$/, replacement: source('backends/$1/index.ts') },
    ],
    // XState's development build warns about events that are sent to stopped actors: XSTATE=development npm test
    conditions: process.env.XSTATE ? [process.env.XSTATE] : [],
  },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { SIMBA_BACKEND: '' },
    projects: [
      {
        extends: true,
        // Many of them start real servers.
        test: { name: 'code', include: ['test/**/*.test.ts'], exclude: PROCESSES, maxWorkers: 2 },
      },
      {
        extends: true,
        // These want the machine's cores for themselves: after all others, and one file at a time.
        test: { name: 'processes', include: PROCESSES, fileParallelism: false },
      },
    ],
  },
})
