/** How wide text is and where it breaks, without a browser: by the widths of Helvetica, which its look-alikes share. */

export const FONT = 'Helvetica, Arial, Liberation Sans, sans-serif'
export const SIZE = 12
export const LINE = 17

/** In thousandths of the font's size, for the characters from the space to the tilde. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
]
const OTHER = 1000
const BOLD = 1.08

export function widthOf(text: string, weight: 'normal' | 'bold' = 'normal'): number {
  let width = 0
  for (const character of text) width += WIDTHS[character.charCodeAt(0) - 32] ?? OTHER
  return Math.ceil((width * SIZE * (weight === 'bold' ? BOLD : 1)) / 1000)
}

/** Lines of at most `limit` pixels, where the words allow it. */
export function wrap(text: string, limit: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= limit) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
