/** The store's commands: one script each, one atomic call each. */
import { campaign } from './campaign.ts'
import { close } from './close.ts'
import { describe } from './describe.ts'
import { join } from './join.ts'
import { leaders } from './leaders.ts'
import { leave } from './leave.ts'
import { look } from './look.ts'
import { members } from './members.ts'
import { open } from './open.ts'
import { release } from './release.ts'
import { renew } from './renew.ts'
import { survey } from './survey.ts'
import { withdraw } from './withdraw.ts'

export const scripts = {
  open,
  renew,
  look,
  campaign,
  withdraw,
  release,
  join,
  leave,
  members,
  close,
  leaders,
  survey,
  describe,
} as const

export type ScriptName = keyof typeof scripts
