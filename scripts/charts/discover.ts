/** Finds the machine files of this project, the way Stately's own tools do: by the globs of stately.config.json, and by what is in the files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'

/** The fields of Stately's configuration that are read here. */
export interface StatelyConfig {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
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
