/**
 * The programs in a document: blocks of TypeScript, each of which goes on where the one before it ended. A block that imports
 * `createSimba` or `createSimulation` begins the next one, and a block of text behind a program is what that prints.
 */

export interface Program {
  readonly code: string
  readonly prints?: string
}

export function programsIn(markdown: string): readonly Program[] {
  const programs: { code: string; prints?: string }[] = []
  for (const [, language, block = ''] of markdown.matchAll(/^```(ts|text)\n(.*?)^```$/gms)) {
    const last = programs.at(-1)
    if (language === 'text') {
      if (last) last.prints = block
    } else if (last && !/import \{[^}]*\bcreateSim(ba|ulation)\b/.test(block)) {
      last.code += block
    } else {
      programs.push({ code: block })
    }
  }
  return programs
}
