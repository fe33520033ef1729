/** The faults of a plan, done to the cluster. Of two freezes or cuts at a time, the later end counts. */
import type { SimulatedNode, Weather } from '../../src/testing.ts'
import type { Cluster } from './cluster.ts'
import type { Fault } from './plan.ts'

export function strike(cluster: Cluster, fault: Fault): void {
  const { store, nodes } = cluster.simulation
  if (fault.kind === 'freeze') {
    store.freeze()
    whenOver(cluster, fault, () => store.thaw())
  } else if (fault.kind === 'restart') {
    cluster.book.restart(fault.data, cluster.nowMs)
    store.restart(fault.data)
  } else {
    strikeNode(cluster, fault, nodes[fault.node % nodes.length]!)
  }
}

function strikeNode(cluster: Cluster, fault: Extract<Fault, { node: number }>, node: SimulatedNode): void {
  const { plan, simulation } = cluster
  const duty = 'duty' in fault ? plan.duties[fault.duty % plan.duties.length]! : undefined
  switch (fault.kind) {
    case 'pause':
      node.pause(fault.forMs)
      break
    case 'sleep':
      cluster.keepDeadlines(node)
      node.suspend(fault.forMs)
      break
    case 'crash':
      node.crash()
      simulation.time.after(fault.forMs, () => node.restart())
      break
    case 'wall-step':
      if (fault.byMs > 0 || !isNearSleep(cluster, fault)) node.stepWall(fault.byMs)
      break
    case 'cut':
      node.link.cut(fault.way)
      whenOver(cluster, fault, () => node.link.cut('none'))
      break
    case 'weather':
      node.link.setWeather(weatherOf(cluster, node))
      simulation.time.after(fault.forMs, () => node.link.setWeather(weatherOf(cluster, node)))
      break
    case 'stop-client':
      node.process.enter(() => void cluster.stopAndStartAgain(node, fault.forMs))
      break
    case 'stop-task':
      node.process.enter(() => {
        if (cluster.isWanted(node, duty!)) void cluster.stopAndEngageAgain(node, duty!, fault.forMs)
      })
      break
    case 'flicker':
      node.process.enter(() => void cluster.flicker(node, duty!, fault))
      break
    case 'step-down':
      node.process.enter(() => cluster.stepDown(node, duty!))
      break
  }
}

/** Of two at a time, the later one counts in all that both speak of. */
function weatherOf({ faults, nowMs, simulation: { nodes } }: Cluster, node: SimulatedNode): Partial<Weather> {
  const inForce = faults.flatMap((fault) =>
    fault.kind === 'weather' && nodes[fault.node % nodes.length] === node && nowMs < fault.atMs + fault.forMs
      ? [fault.weather]
      : [],
  )
  return Object.assign({}, ...inForce)
}

type Lasting = Extract<Fault, { readonly kind: 'freeze' | 'cut' }>

function whenOver(cluster: Cluster, fault: Lasting, end: () => void): void {
  const { nowMs, simulation, plan } = cluster
  const nodeOf = (other: Lasting) => (other.kind === 'freeze' ? undefined : other.node % plan.nodes.length)
  const isSame = (other: Fault): other is Lasting =>
    other.kind === fault.kind && nodeOf(other as Lasting) === nodeOf(fault)
  const endMs = nowMs + fault.forMs
  const goesOn = plan.faults.some((other) => isSame(other) && other.atMs <= endMs && other.atMs + other.forMs > endMs)
  simulation.time.after(fault.forMs, () => {
    if (!goesOn) end()
  })
}

/** A client looks at its clocks at least this often. */
const LOOKS_EACH_MS = 2_000

/** Neither clock would show a sleep between two looks at which somebody has set the wall clock back. */
function isNearSleep(
  { plan, faults, simulation: { nodes } }: Cluster,
  { node, atMs }: Extract<Fault, { kind: 'wall-step' }>,
): boolean {
  return [...plan.faults, ...faults].some(
    (fault) =>
      fault.kind === 'sleep' &&
      fault.node % nodes.length === node % nodes.length &&
      fault.atMs - LOOKS_EACH_MS <= atMs &&
      atMs <= fault.atMs + fault.forMs + LOOKS_EACH_MS,
  )
}
