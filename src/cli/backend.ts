/** Where leases are kept when nobody says where: a file of the user's, so that processes of one machine find each other at once. */
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

export interface ChosenBackend {
  readonly url: string
  readonly isDefault: boolean
}

export function chooseBackend(url: string | undefined, env: NodeJS.ProcessEnv = process.env): ChosenBackend {
  if (url) return { url, isDefault: false }
  return { url: `sqlite:${join(stateFolder(env), 'simba', 'leases.db')}`, isDefault: true }
}

/** As the XDG base directories have it: one that is not absolute counts as not set. */
function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  for (const folder of [XDG_STATE_HOME, LOCALAPPDATA]) if (folder && isAbsolute(folder)) return folder
  return join(homedir(), '.local', 'state')
}

/** Without what only its owner may know. */
export function shownBackend({ url }: ChosenBackend): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1***@').replace(/\?.*$/, '?***')
}
