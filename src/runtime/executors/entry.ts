/**
 * Files of this package that are started in a thread or a process of their own. As a package they are plain JavaScript; from source,
 * as in our own tests, they want a loader. Paths are without their ending, and count from this folder.
 */
import { fileURLToPath } from 'node:url'

const isSource = import.meta.url.endsWith('.ts')

/** For a `Worker`. */
export function threadEntry(path: string): URL {
  const file = fileOf(path)
  if (!isSource) return file
  // The loader's own way into a thread, since an option of Node does not take it there.
  const code = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register(); await import('${file}')`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}

/** Arguments for Node. */
export function processEntry(path: string): readonly string[] {
  const file = fileURLToPath(fileOf(path))
  return isSource ? ['--import', import.meta.resolve('tsx'), file] : [file]
}

function fileOf(path: string): URL {
  return new URL(`${path}.${isSource ? 'ts' : 'js'}`, import.meta.url)
}
