/** What is worth a warning about the server: asked once for each connection, of the server that the scripts run on. */
import { record } from './shared/record.ts'
import { server } from './shared/server.ts'

export const describe = /* lua */ `
${record}
${server}
return {runId(info('server')), string.match(info('memory'), 'maxmemory_policy:([%w-]+)') or ''}
`
