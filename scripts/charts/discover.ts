/** Finds the machine files of this project, the way Stately's own tools do: by the globs of stately.config.json, and by what is in the files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { globSync } from 'tinyglobby'
import { type AnyStateMachine, StateMachine } from 'xstate'

/** The fields of Stately's configuration that are read here. */
export interface StatelyConfig {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export interface FoundMachine {
  readonly machine: AnyStateMachine
  /** Below the root of the project. */
  readonly path: string
  /** What the file says that it is for. */
  readonly header: string
}

/** All machines of this project, by the names of their files. */
export async function findMachines(root: string): Promise<readonly FoundMachine[]> {
  const found: FoundMachine[] = []
  for (const path of findMachineFiles(root, readConfig(root))) {
    const header = headerOf(readFileSync(join(root, path), 'utf8'))
    const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(root, path)).href)
    for (const value of Object.values(exported)) {
      if (value instanceof StateMachine) found.push({ machine: value as AnyStateMachine, path, header })
    }
  }
  return found
}

function headerOf(source: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(source) ?? []
  return comment.replaceAll(/^\s*\* ?/gm, '').trim()
}

export function readConfig(root: string): StatelyConfig {
  return JSON.parse(readFileSync(join(root, 'stately.config.json'), 'utf8')) as StatelyConfig
}

/** Paths of the files under `root` that make a machine, in alphabetical order. */
export function findMachineFiles(root: string, { include, exclude }: StatelyConfig): readonly string[] {
  return globSync([...include], { cwd: root, ignore: [...exclude] })
    .filter((path) => isMachineFile(readFileSync(join(root, path), 'utf8')))
    .sort()
}

export function isMachineFile(source: string): boolean {
  return /from 'xstate'/.test(source) && source.includes('.createMachine(')
}
