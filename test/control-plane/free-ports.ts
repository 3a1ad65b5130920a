// Which ports are free, and stay so for the program that wants them? Ones from below those that the kernel hands out by itself, to whoever
// connects or listens on port 0: nobody is given them by chance, also while a server that has one is stopped and started again.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Linux hands out those from 32768 on. */
const [lowest, beyond] = [15_000, 32_000]

export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(lowest, beyond)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
