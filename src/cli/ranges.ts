/** Numbers for people: `0-3,7,9-10`. */
export function rangesOf(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((one, other) => one - other)
  const ranges: [number, number][] = []
  for (const number of sorted) {
    const last = ranges.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}
