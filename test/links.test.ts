/** Documents lead somewhere: every relative link of every document is a file, and every heading that one names is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'test', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
]

/** The name that a heading has in a link to it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(' ', '-')
}

function hasHeading(path: string, anchor: string): boolean {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)
  return [...headings].some(([, heading = '']) => anchorOf(heading) === anchor)
}

function isBroken(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? join(root, document) : join(root, dirname(document), path)
  return !existsSync(target) || (anchor !== undefined && !hasHeading(target, anchor))
}

test('no relative link in a document is broken', () => {
  expect(documents).toContain('README.md')
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```$/gms, '')
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^\w+:/.test(link) && isBroken(document, link))
      .map((link) => `${document}: ${link}`)
  })
  expect(broken).toEqual([])
})
