/** The thread in which `workerThread()` runs a function: one for each run, ended when the function has settled. */
import { type MessagePort, workerData } from 'node:worker_threads'
import { plainError } from '../../../model/errors.ts'
import { TermMemory } from './memory.ts'
import type { ThreadEnd, ThreadStart, ThrownThere } from './messages.ts'
import { ThreadTerm } from './threadTerm.ts'

const {
  module,
  export: name,
  term: identity,
  memory,
  port,
} = workerData as ThreadStart & { readonly port: MessagePort }
const term = new ThreadTerm(identity, new TermMemory(memory))
port.on('message', () => term.look())

const end = await run()
// Ending a thread drops what it has printed and nobody has taken yet.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))))
port.postMessage(end)

async function run(): Promise<ThreadEnd> {
  let exports: Readonly<Record<string, unknown>>
  try {
    exports = await import(module)
  } catch (error) {
    return {
      kind: 'missing',
      message: `${module} cannot be loaded: ${plainError(error).message}`,
      error: thrownHere(error),
    }
  }
  const work = exports[name]
  if (typeof work !== 'function') {
    const has = Object.keys(exports).filter((key) => typeof exports[key] === 'function')
    const found = has.length === 0 ? 'it exports no function' : `it exports the functions ${has.join(', ')}`
    return { kind: 'missing', message: `${module} has no function '${name}' to run; ${found}.` }
  }
  try {
    await work(term, term.partition)
    return { kind: 'completed', isOutOfTime: !term.isValid }
  } catch (error) {
    return { kind: 'failed', error: thrownHere(error) }
  }
}

function thrownHere(error: unknown): ThrownThere {
  return { ...plainError(error), ...(error instanceof Error && error.stack !== undefined && { stack: error.stack }) }
}
