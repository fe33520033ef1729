/** Writes the tables of moves of all machines into docs/moves. */
import { keepFresh } from './fresh.ts'
import { FOLDER, writePages } from './moves/pages.ts'

await keepFresh({ folder: FOLDER, command: 'npm run moves', pagesOf: writePages })
