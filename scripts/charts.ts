/** Draws the machines into docs/charts. */
import { drawPages, FOLDER } from './charts/pages.ts'
import { keepFresh } from './fresh.ts'

await keepFresh({ folder: FOLDER, command: 'npm run charts', pagesOf: drawPages })
