// JSON that is expensive to parse, by cause.

/** Returns JSON of about this many bytes that is expensive to parse. */
export function worstJson(what: string, bytes: number): string {
  switch (what) {
    case 'depth':
      return '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)
    case 'members':
      return `{${Array.from({ length: bytes / 14 }, (_, at) => `"k${at}":1`).join(',')}}`
    case 'values':
      return `[${'{},'.repeat(bytes / 3)}{}]`
    default:
      return JSON.stringify([{ name: 'x'.repeat(bytes - 20) }])
  }
}
