// Reads response bodies within a limit. Invariant: memory holds no more of a body than its limit and one chunk.
import { KubeError } from './kube-errors.ts'

export interface BodyLimit {
  /** The call, as in `apply StatefulSet default/store`. */
  readonly attempt: string
  /** Name of the server in messages. */
  readonly server: string
  readonly mostBytes: number
}

const mebibyte = 1024 * 1024

/** Returns the text of the whole body. Throws a KubeError `ServerError` if the body is larger than the limit. */
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

/** Returns the text of the body up to and including the chunk that exceeds the limit, and does not read the rest. */
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
