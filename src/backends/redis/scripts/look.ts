/** Reads the inbox without writing. */
import { inbox } from './shared/inbox.ts'
import { caller, record } from './shared/record.ts'

export const look = /* lua */ `
${record}
${caller}
${inbox}
local freed, versions = readInbox()
return {'inbox', freed, versions}
`
