// Where does one watch frame end? At its newline, wherever the chunks of the stream are cut.

/** Whole lines, each with its newline; a last one that is not whole is left out. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end + 1)
      rest = rest.subarray(end + 1)
    }
  }
}
