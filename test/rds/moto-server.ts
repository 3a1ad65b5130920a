// Moto server on loopback that acts as Amazon RDS for the tests of a file; it ends with them, or with this process.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { freePorts } from '../control-plane/free-ports.ts'
import { ServerProcess } from '../control-plane/server-process.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { findOrInstallMoto } from './moto-home.ts'

export class MotoServer {
  readonly url: string
  readonly #process: ServerProcess
  readonly #folder: string

  private constructor(url: string, server: ServerProcess, folder: string) {
    this.url = url
    this.#process = server
    this.#folder = folder
  }

  static async start(): Promise<MotoServer> {
    const home = await findOrInstallMoto(process.env)
    const [port = 0] = await freePorts(1)
    const folder = mkdtempSync(join(tmpdir(), 'konverge-moto-'))
    const url = `http://127.0.0.1:${port}`
    const program = new ServerProcess({
      name: 'moto',
      path: home.python,
      flags: [join(import.meta.dirname, 'moto-main.py'), String(port)],
      environment: { PATH: process.env['PATH'] ?? '', PYTHONPATH: home.folder, HOME: folder },
      logFile: join(folder, 'moto.log'),
    })
    const server = new MotoServer(url, program, folder)
    try {
      program.start()
      const wait = { what: 'moto to answer', giveUp: () => program.throwIfEnded() }
      await waitUntil(wait, async () => (await fetch(`${url}/moto-api/`)).ok)
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    await this.#process.stop(2_000)
    await rm(this.#folder, { recursive: true, force: true })
  }
}
