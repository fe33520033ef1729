/** The records in the file, as a session sees them: it reads and writes in calls that are atomic each. */
import type { Call } from './call.ts'

export interface Records {
  read<T>(body: (call: Call) => T): Promise<T>
  write<T>(body: (call: Call) => T): Promise<T>
}
