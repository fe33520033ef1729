/** A process that takes the write lock of a file, and then stands still in the middle of it or waits to be killed. */
import { loadDriver } from '../../../src/backends/sqlite/driver.ts'

const [path, how] = process.argv.slice(2)
const database = new (loadDriver())(path!)
database.exec("BEGIN IMMEDIATE; UPDATE sessions SET node = 'half done'")
process.send!('locked', () => {
  if (how === 'stop') process.kill(process.pid, 'SIGSTOP')
})
// Reached when it is continued, or kept waiting for its end.
setInterval(() => {
  if (how !== 'stop') return
  database.exec('ROLLBACK')
  process.exit()
}, 10)
