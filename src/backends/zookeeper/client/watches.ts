/**
 * Who wants to be told of a change at a path. The server tells once, and only on the connection on which it was asked; on a new one it is
 * asked again for everything that has not been told, and tells at once what was missed.
 */
import type { JuteReader } from './jute-reader.ts'
import type { JuteWriter } from './jute-writer.ts'

export type Happening = 'created' | 'deleted' | 'changed' | 'children'

export type Watcher = (happening: Happening) => void

/** A change of the node itself, or of which children it has. */
export type WatchKind = 'node' | 'children'

interface Watch {
  readonly watcher: Watcher
  /** Whether the node was there when the watch was set. */
  readonly existed: boolean
}

const HAPPENINGS: Readonly<Record<number, Happening>> = { 1: 'created', 2: 'deleted', 3: 'changed', 4: 'children' }

/** A request of the server's largest size could not be sent. */
const MOST_CHARACTERS = 100_000

export class Watches {
  readonly #watches = { node: new Map<string, Watch>(), children: new Map<string, Watch>() }

  /** The latest watcher of a path takes the place of the one before. */
  add(kind: WatchKind, path: string, existed: boolean, watcher: Watcher): void {
    this.#watches[kind].set(path, { watcher, existed })
  }

  /** Returns whether the server keeps a watch for it that no deletion of the node will ever take away. */
  remove(kind: WatchKind, path: string): boolean {
    const watch = this.#watches[kind].get(path)
    this.#watches[kind].delete(path)
    return watch !== undefined && !watch.existed
  }

  clear(): void {
    for (const watches of Object.values(this.#watches)) watches.clear()
  }

  /** Reads what the server tells, and passes it on. */
  tell(event: JuteReader): void {
    const happening = HAPPENINGS[event.int()]
    event.int()
    const path = event.text()
    if (happening === undefined) return
    const kinds: readonly WatchKind[] =
      happening === 'children' ? ['children'] : happening === 'deleted' ? ['node', 'children'] : ['node']
    const told = kinds.flatMap((kind) => {
      const watch = this.#watches[kind].get(path)
      this.#watches[kind].delete(path)
      return watch ? [watch] : []
    })
    for (const { watcher } of told) watcher(happening)
  }

  /** The requests that set all watches anew, each as what it writes. */
  requests(sinceZxid: bigint): readonly ((writer: JuteWriter) => void)[] {
    const existing: string[] = []
    const absent: string[] = []
    for (const [path, { existed }] of this.#watches.node) (existed ? existing : absent).push(path)
    const lists = [existing, absent, [...this.#watches.children.keys()]]
    const requests: ((writer: JuteWriter) => void)[] = []
    for (const [index, paths] of lists.entries()) {
      for (const portion of portions(paths)) {
        requests.push((writer) => {
          writer.long(sinceZxid)
          for (const place of lists.keys()) {
            writer.list(place === index ? portion : [], (path) => writer.text(path))
          }
        })
      }
    }
    return requests
  }
}

function portions(paths: readonly string[]): readonly (readonly string[])[] {
  const portions: string[][] = []
  let room = 0
  for (const path of paths) {
    if (room < path.length || portions.length === 0) {
      portions.push([])
      room = MOST_CHARACTERS
    }
    portions.at(-1)!.push(path)
    room -= path.length
  }
  return portions
}
