#!/usr/bin/env node
/** The `simba` command: reads the command line, and ends with the exit code. */
import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { plainError, SimbaError } from '../model/errors.ts'
import { EXIT } from './exitCodes.ts'
import { createProgram } from './program.ts'
import { UsageError } from './usageError.ts'

/** Of the package, which is two folders up both in the source and as it is installed. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

async function main(): Promise<number> {
  let ending: Promise<number> | undefined
  const program = createProgram(version, (chosen) => {
    ending = chosen
  })
  for (const command of [program, ...program.commands]) command.exitOverride()
  try {
    program.parse()
    return (await ending) ?? EXIT.ok
  } catch (error) {
    if (error instanceof CommanderError) return misunderstood(error)
    const isDefect = !(error instanceof UsageError || error instanceof SimbaError)
    const { stack } = error as Error
    process.stderr.write(`simba: ${isDefect ? `a defect: ${stack}` : flagsFor(plainError(error).message)}\n`)
    if (isDefect) return EXIT.defect
    if (error instanceof UsageError) return EXIT.usage
    return error.code === 'INVALID_OPTION' ? EXIT.usage : EXIT.unavailable
  }
}

/** Unless it was asked for help, which commander ends in the same way. */
function misunderstood({ code, exitCode }: CommanderError): number {
  if (exitCode === 0) return EXIT.ok
  if (code === 'commander.unknownOption')
    process.stderr.write('Options of the command that is run go behind --: simba run NAME -- COMMAND --option\n')
  process.stderr.write("Try 'simba help', or 'simba help run'.\n")
  return EXIT.usage
}

/** What is an option of the library is one of the command under another name. */
function flagsFor(message: string): string {
  return message.replace(/^(leaseDuration|renewInterval|namespace|node|backend|balance)\b/, (option) => {
    return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  })
}

/** Node 22 calls its own SQLite experimental at each start, which is no news for whoever runs a command. */
function quietSqlite(): void {
  const [tell] = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning' || !warning.message.includes('SQLite')) tell?.(warning)
  })
}

quietSqlite()
process.exit(await main())
