/**
 * The programs in a document: blocks of TypeScript, each of which goes on where the one before it ended. A block that imports
 * `createSimba`, `createSimulation` or the module for NestJS begins the next one, and a block of text behind a program is what that prints.
 */

export interface Program {
  readonly code: string
  readonly prints?: string
}

const BEGINS = /import \{[^}]*\bcreateSim(ba|ulation)\b|from 'simba-xstate\/nestjs'/

export function programsIn(markdown: string): readonly Program[] {
  const programs: { code: string; prints?: string }[] = []
  for (const [, language, block = ''] of markdown.matchAll(/^```(ts|text)\n(.*?)^```$/gms)) {
    const last = programs.at(-1)
    if (language === 'text') {
      if (last) last.prints = block
    } else if (last && !BEGINS.test(block)) {
      last.code += block
    } else {
      programs.push({ code: block })
    }
  }
  return programs
}
