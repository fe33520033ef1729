import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its name, and get the source.
    alias: [
      { find: /^simba-xstate$/, replacement: source('index.ts') },
      { find: /^simba-xstate\/machines$/, replacement: source('machines/index.ts') },
      { find: /^simba-xstate\/testing$/, replacement: source('testing.ts') },
      { find: /^simba-xstate\/(memory|sqlite|redis)$/, replacement: source('backends/$1/index.ts') },
    ],
    // XState's development build warns about events that are sent to stopped actors: XSTATE=development npm test
    conditions: process.env.XSTATE ? [process.env.XSTATE] : [],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests with real servers and processes want the machine's cores for themselves.
    maxWorkers: 2,
    env: { SIMBA_BACKEND: '' },
  },
})
