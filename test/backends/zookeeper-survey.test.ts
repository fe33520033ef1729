/** How ZooKeeper is read for an operator: in few rounds, no more than is asked for, and whatever leaves meanwhile. */
import { describe, expect, it } from 'vitest'
import { RefusedError } from '../../src/backends/zookeeper/client/errors.ts'
import type { Stat } from '../../src/backends/zookeeper/client/stat.ts'
import { encodeName, pathsIn } from '../../src/backends/zookeeper/paths.ts'
import { formatHolder, formatMember, formatNode, formatRoot } from '../../src/backends/zookeeper/records.ts'
import { survey } from '../../src/backends/zookeeper/survey.ts'

const NO_NODE = -101
const NOW_MS = 1_000_000
const paths = pathsIn('', 'shop')

/** A tree of nodes that answers like a server, one round trip after the other, and counts them. */
class Tree {
  readonly nodes = new Map<string, string>()
  reads = 0
  rounds = 0
  /** Told of each read before it is answered. */
  onRead: (read: number) => void = () => {}
  #round: Promise<void> | undefined

  constructor() {
    this.nodes.set(paths.root, formatRoot(NOW_MS, 0n))
    for (const path of paths.parents) this.nodes.set(path, '')
  }

  enter(session: string): void {
    this.nodes.set(paths.session(session), formatNode(session.toUpperCase()))
  }

  hold(lease: string, session: string): void {
    this.nodes.set(paths.holder(lease), formatHolder(session.toUpperCase(), session))
  }

  queue(lease: string, ...sessions: readonly string[]): void {
    this.nodes.set(paths.line(lease), '')
    for (const [place, session] of sessions.entries())
      this.nodes.set(`${paths.line(lease)}/${session}-000000000${place}`, '')
  }

  join(group: string, ...sessions: readonly string[]): void {
    this.nodes.set(paths.group(group), '')
    this.nodes.set(`${paths.group(group)}/4`, '')
    for (const session of sessions) {
      const data = formatMember(session.toUpperCase(), { partitions: 4, resting: [] })
      this.nodes.set(`${paths.group(group)}/4/${session}`, data)
    }
  }

  async sync(): Promise<void> {}

  async data(path: string) {
    const data = await this.#find(path)
    return { data, stat: { mzxid: 7n, mtimeMs: NOW_MS } as Stat }
  }

  async children(path: string) {
    await this.#find(path)
    const names = [...this.nodes.keys()].filter((each) => each.slice(0, each.lastIndexOf('/')) === path)
    return { names: names.map((name) => name.slice(path.length + 1)), stat: {} as Stat }
  }

  async #find(path: string): Promise<string> {
    this.#round ??= new Promise((resolve) => {
      this.rounds += 1
      setImmediate(() => {
        this.#round = undefined
        resolve()
      })
    })
    await this.#round
    this.onRead(++this.reads)
    const data = this.nodes.get(path)
    if (data === undefined) throw new RefusedError(NO_NODE, path)
    return data
  }
}

/** Two leases, of which one is waited for by two, and a group of two. */
function shop(): Tree {
  const tree = new Tree()
  for (const session of ['a', 'b', 'c']) tree.enter(session)
  tree.hold('x', 'a')
  tree.queue('x', 'c', 'b')
  tree.hold('y', 'b')
  tree.join('g', 'a', 'b')
  return tree
}

const nodes = (contenders: readonly { readonly node: string }[]) => contenders.map(({ node }) => node)

describe('a survey of ZooKeeper', () => {
  it('takes a handful of round trips, and not one for each node', async () => {
    const tree = shop()
    const { leases, groups, isWhole } = await survey(tree, paths, 100)
    expect(leases.map(({ lease, holder, waiting }) => [lease, holder?.node, nodes(waiting)])).toEqual([
      ['x', 'A', ['C', 'B']],
      ['y', 'B', []],
    ])
    expect(groups.map(({ group, members }) => [group, nodes(members)])).toEqual([['g', ['A', 'B']]])
    expect(isWhole).toBe(true)
    expect(tree.rounds).toBeLessThanOrEqual(5)
  })

  it('reads no more than it was asked for, and a few hundred nodes', async () => {
    const tree = new Tree()
    for (let each = 0; each < 3_000; each++) {
      tree.enter(`s${each}`)
      tree.hold(`x${each}`, `s${each}`)
      tree.queue(`x${each}`, `s${(each + 1) % 3_000}`)
      tree.join(`g${each}`, `s${each}`)
    }
    const { leases, groups, isWhole } = await survey(tree, paths, 10)
    expect(isWhole).toBe(false)
    expect(leases.filter(({ holder }) => holder)).toHaveLength(10)
    expect(leases.flatMap(({ waiting }) => waiting)).toHaveLength(10)
    expect(groups).toHaveLength(10)
    expect(tree.reads).toBeLessThan(1_000)
    expect(tree.rounds).toBeLessThanOrEqual(6)
  })

  it('does not mind what vanishes while it is read', async () => {
    const whole = shop()
    await survey(whole, paths, 100)
    const everything = [...whole.nodes.keys()].filter((path) => ![paths.root, ...paths.parents].includes(path))
    for (let read = 1; read <= whole.reads; read++) {
      for (const gone of [everything, ...everything.map((path) => [path])]) {
        const tree = shop()
        tree.onRead = (now) => {
          if (now === read) for (const path of gone) tree.nodes.delete(path)
        }
        const { leases, groups, isWhole } = await survey(tree, paths, 100)
        expect(isWhole).toBe(true)
        expect(leases.length).toBeLessThanOrEqual(2)
        expect(groups.length).toBeLessThanOrEqual(1)
      }
    }
  })

  it('knows nobody whose session has ended, and nobody who is in line for what is held already', async () => {
    const tree = shop()
    tree.nodes.delete(paths.session('c'))
    tree.queue('y', 'b')
    const { leases } = await survey(tree, paths, 100)
    expect(leases.map(({ lease, holder, waiting }) => [lease, holder?.node, nodes(waiting)])).toEqual([
      ['x', 'A', ['B']],
      ['y', 'B', []],
    ])
  })

  it('is empty where there is no such namespace, and passes over what nobody here can have named', async () => {
    expect(await survey(shop(), pathsIn('', 'other'), 100)).toEqual({ leases: [], groups: [], isWhole: true })
    const tree = new Tree()
    tree.enter('a')
    for (const name of ['', '.', 'a/b', 'é%']) tree.hold(name, 'a')
    tree.nodes.set(`${paths.holders}/%zz`, 'hello')
    tree.queue('empty')
    const { leases } = await survey(tree, paths, 100)
    expect(leases.map(({ lease }) => lease)).toEqual(['', '.', 'a/b', 'é%'].sort())
    expect(encodeName('a/b')).toBe('a%2fb')
  })
})
