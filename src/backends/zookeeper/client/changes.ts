/** Writes, which are sent as one transaction each: all of its parts are done, or none. */
import { RefusedError } from './errors.ts'
import type { JuteReader } from './jute-reader.ts'
import type { JuteWriter } from './jute-writer.ts'
import { readStat, type Stat } from './stat.ts'

export type Change =
  | { readonly type: 'create'; readonly path: string; readonly data: string; readonly kind: NodeKind }
  | { readonly type: 'delete'; readonly path: string; readonly version: number }
  | { readonly type: 'set'; readonly path: string; readonly data: string; readonly version: number }
  /** Changes nothing, and refuses the transaction where the version is another one. */
  | { readonly type: 'check'; readonly path: string; readonly version: number }

/**
 * `ephemeral` goes away with its session; a `candidate` does, too, and the server appends a growing number to its name; a `container`
 * goes away some time after its last child.
 */
export type NodeKind = 'persistent' | 'ephemeral' | 'candidate' | 'container'

/** Who may do what with a node that is created. */
export interface Acl {
  readonly scheme: string
  readonly id: string
}

/** Matches every version. */
export const ANY_VERSION = -1

/** What became of each change. The server tells nothing of what it has created but its path, and nothing of the rest. */
export interface Changed {
  /** Of what was created. */
  readonly path?: string
  /** Of what was set. */
  readonly stat?: Stat
}

const CREATE = 1
/** What the server calls a container's creation when it answers. */
const CREATE_WITH_STAT = 15
const DELETE = 2
const SET = 5
const CHECK = 13
const CREATE_CONTAINER = 19
const FAILED = -1

const FLAGS: Readonly<Record<NodeKind, number>> = { persistent: 0, ephemeral: 1, candidate: 3, container: 4 }
const ALL_PERMISSIONS = 31

export function writeChanges(writer: JuteWriter, changes: readonly Change[], acl: Acl): void {
  for (const change of changes) {
    header(writer, typeOf(change), false)
    switch (change.type) {
      case 'create':
        writer.text(change.path).text(change.data)
        writer.list([acl], ({ scheme, id }) => writer.int(ALL_PERMISSIONS).text(scheme).text(id))
        writer.int(FLAGS[change.kind])
        break
      case 'delete':
      case 'check':
        writer.text(change.path).int(change.version)
        break
      case 'set':
        writer.text(change.path).text(change.data).int(change.version)
        break
    }
  }
  header(writer, FAILED, true)
}

/** Throws a `RefusedError` that names the first part that could not be done. */
export function readChanged(reader: JuteReader, changes: readonly Change[]): readonly Changed[] {
  const changed: Changed[] = []
  for (const [part, change] of changes.entries()) {
    const type = reader.int()
    reader.bool()
    reader.int()
    if (type === FAILED) {
      const code = reader.int()
      // Those in front of it were taken back.
      if (code !== 0) throw new RefusedError(code, `${change.type} ${change.path}`, part)
    } else changed.push(readOne(reader, type))
  }
  return changed
}

function readOne(reader: JuteReader, type: number): Changed {
  switch (type) {
    case CREATE:
      return { path: reader.text() }
    case CREATE_WITH_STAT:
    case CREATE_CONTAINER: {
      const path = reader.text()
      readStat(reader)
      return { path }
    }
    case SET:
      return { stat: readStat(reader) }
    case DELETE:
    case CHECK:
      return {}
    default:
      throw new RangeError(`a result of type ${type}`)
  }
}

function typeOf(change: Change): number {
  switch (change.type) {
    case 'create':
      return change.kind === 'container' ? CREATE_CONTAINER : CREATE
    case 'delete':
      return DELETE
    case 'set':
      return SET
    case 'check':
      return CHECK
  }
}

function header(writer: JuteWriter, type: number, isEnd: boolean): void {
  writer.int(type).bool(isEnd).int(-1)
}
