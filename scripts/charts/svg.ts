/** Draws a layout as SVG. Numbers are rounded, so that the same machine gives the same bytes everywhere. */
import type { Box, Point } from './layout.ts'
import { PADDING, type Style } from './table.ts'
import { FONT, LINE, SIZE } from './text.ts'

/** Neighbouring arrows differ, so that an eye can follow one. */
const ARROWS = ['#0969da', '#cf222e', '#1a7f37', '#8250df', '#9a6700', '#bc4c00', '#0a7ea4', '#57606a']
const LEVELS = ['#f6f8fa', '#eaeef2']
const STYLES: Readonly<Record<Style, string>> = {
  name: 'font-weight:bold;fill:#1f2328',
  description: 'font-style:italic;fill:#57606a',
  effect: 'fill:#8250df',
  event: 'fill:#1f2328',
  guard: 'fill:#9a6700',
  action: 'fill:#57606a',
  target: 'font-weight:bold;fill:#0550ae',
}
const MARGIN = 2
const DOT = 4.5

export function drawSvg(title: string, box: Box): string {
  const [width, height] = [box.width + 2 * MARGIN, box.height + 2 * MARGIN].map(Math.ceil)
  const styles = Object.entries(STYLES).map(([name, style]) => `.${name}{${style}}`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" font-size="${SIZE}">`,
    `<title>${markup(title)}</title>`,
    `<style>${styles.join('')}</style>`,
    '<defs>',
    ...ARROWS.map(head),
    '</defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...drawBox(box, { x: MARGIN, y: MARGIN }, 0),
    '</svg>',
    '',
  ].join('\n')
}

function head(color: string, index: number): string {
  const shape = '<path d="M0,0 L8,4 L0,8 z"'
  return `<marker id="a${index}" markerWidth="8" markerHeight="8" refX="7.5" refY="4" orient="auto" markerUnits="userSpaceOnUse">${shape} fill="${color}"/></marker>`
}

function drawBox(box: Box, at: Point, depth: number): readonly string[] {
  const { state, table, children, arrows } = box
  const isLeaf = children.length === 0
  const frame = `x="${round(at.x)}" y="${round(at.y)}" width="${round(box.width)}" height="${round(box.height)}" rx="7"`
  const fill = isLeaf ? '#fff' : LEVELS[depth % LEVELS.length]
  const marks: string[] = []
  if (state.isInitial && depth > 0)
    marks.push(`<circle cx="${round(at.x)}" cy="${round(at.y + LINE / 2 + 3)}" r="${DOT}" fill="#1f2328"/>`)
  if (state.kind === 'final') {
    const inner = `x="${round(at.x + 3)}" y="${round(at.y + 3)}" width="${round(box.width - 6)}" height="${round(box.height - 6)}" rx="5"`
    marks.push(`<rect ${inner} fill="none" stroke="#57606a"/>`)
  }
  return [
    `<rect ${frame} fill="${fill}" stroke="#57606a"/>`,
    ...arrows.map((points, index) => drawArrow(at, points, index)),
    ...children.flatMap((child) => [
      ...drawBox(child, { x: at.x + child.x, y: at.y + child.y }, depth + 1),
      // The regions of a parallel state are all active at once.
      ...(state.kind === 'parallel' ? [region(child, { x: at.x + child.x, y: at.y + child.y })] : []),
    ]),
    ...marks,
    ...table.lines.flatMap((pieces, row) =>
      pieces.map(({ x, style, text }) => {
        const place = `x="${round(at.x + PADDING + x)}" y="${round(at.y + LINE * (row + 0.75) + PADDING / 2)}"`
        return `<text ${place} class="${style}">${markup(text)}</text>`
      }),
    ),
  ]
}

function region({ width, height }: Box, { x, y }: Point): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="7" fill="none" stroke="#fff" stroke-width="1.5" stroke-dasharray="5 5"/>`
}

function drawArrow(at: Point, points: readonly Point[], index: number): string {
  const path = points.map(({ x, y }) => `${round(at.x + x)},${round(at.y + y)}`).join(' ')
  const color = index % ARROWS.length
  return `<polyline points="${path}" fill="none" stroke="${ARROWS[color]}" stroke-width="1.3" marker-end="url(#a${color})"/>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function markup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
