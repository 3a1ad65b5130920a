// Bodies of answers, read within a limit. Invariant: memory holds no more of a body than its limit and one chunk.
import { KubeError } from './kube-errors.ts'

export interface BodyLimit {
  /** What was tried, as in `apply StatefulSet default/store`. */
  readonly attempt: string
  /** Names the server. */
  readonly server: string
  readonly mostBytes: number
}

const mebibyte = 1024 * 1024

/** The text of the whole body. Throws a KubeError `ServerError` where it is larger than the limit. */
export async function loadText(
  body: AsyncIterable<Uint8Array>,
  { attempt, server, mostBytes }: BodyLimit,
): Promise<string> {
  const { text, isWhole } = await loadBeginning(body, mostBytes)
  if (isWhole) return text
  const size = mostBytes < mebibyte ? `${mostBytes} bytes` : `${Math.floor(mostBytes / mebibyte)} MiB`
  throw new KubeError({
    code: 'ServerError',
    message: `${attempt}: the answer of ${server} is larger than the ${size} that this client accepts; a write may have happened all the same; look for a proxy that rewrites answers`,
  })
}

/** The text of the body, cut off behind the first chunk that exceeds the limit; the rest is not read. */
export async function loadBeginning(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > mostBytes) break
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isWhole: sizeBytes <= mostBytes }
}
