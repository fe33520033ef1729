/** Everything that is generated: a picture of each machine, and the page that shows them. */

import type { Pages } from '../fresh.ts'
import { readChart } from './chart.ts'
import { findMachines } from './discover.ts'
import { layOut } from './layout.ts'
import { drawSvg } from './svg.ts'

/** Where the pages live. */
export const FOLDER = 'docs/charts'

const INTRODUCTION = `# The machines

These pictures are drawn from the machines themselves by \`npm run charts\`; nobody edits them.

How to read them: a box is a state, and boxes within it are the states below it. A dot marks where a box begins, a double border a final state, and
dashed borders the regions of a parallel state, which are all active at once. In a box stand what happens at its **entry** and **exit**, the actors that
it **invokes** while it is active, and its moves: \`event [guard] / actions → target\`. An arrow between two boxes says that something inside the one
moves to the other; the lines in the boxes say what. \`X done\` and \`X failed\` are the end of an actor that was
invoked, \`X ends\` is either.`

export async function drawPages(root: string): Promise<Pages> {
  const pages = new Map<string, string>()
  const sections: string[] = []
  for (const { machine, path, header } of await findMachines(root)) {
    const picture = `${machine.id}.svg`
    pages.set(picture, drawSvg(machine.id, await layOut(readChart(machine))))
    const source = `[${path}](../../${path})`
    sections.push(`## ${machine.id}\n\n${header}\n\nSource: ${source}\n\n[![${machine.id}](${picture})](${picture})`)
  }
  pages.set('README.md', `${[INTRODUCTION, ...sections].join('\n\n')}\n`)
  return pages
}
