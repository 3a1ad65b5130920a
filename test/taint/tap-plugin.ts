// Vite plugin that connects modules of src/ to the taps in tests. It appends a line to each module, and the line passes
// private values to the tap. The program itself is unchanged.
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** Appended lines by file; each runs in its module. */
const lines: Readonly<Record<string, (taps: string) => string>> = {
  'src/apiserver/object-log.ts': (taps) => `${taps}.objectLog(ObjectLog)`,
  'src/kube/http-client.ts': (taps) => `${taps}.http(HttpClient)`,
  'src/kube/fetch-client.ts': (taps) => `${taps}.http(FetchClient)`,
  'src/telemetry/logger.ts': (taps) => `${taps}.logger(Logger, redact)`,
  'src/telemetry/metrics.ts': (taps) => `${taps}.metrics(PrometheusMetrics)`,
  'src/telemetry/tracer.ts': (taps) => `${taps}.tracer(OpenTelemetryTracer); ${taps}.span(RecordedSpan)`,
  'src/base/instrument.ts': (taps) => `${taps}.silent(silentInstruments)`,
  'src/base/random.ts': (taps) => `passwordFrom = ${taps}.password(passwordFrom)`,
  'src/base/errors.ts': (taps) => `CodedError = ${taps}.error(CodedError)`,
  'src/controllers/stores/folder-store-driver.ts': (taps) => `${taps}.store(FolderStore)`,
  'src/controllers/stores/s3-store-driver.ts': (taps) => `${taps}.store(S3Store)`,
}

/** Files with a tap, for the test that checks that they exist. */
export const tappedFiles: readonly string[] = Object.keys(lines)

/** Returns the plugin for vitest.config.ts. */
export function tapPlugin(root: string): Plugin {
  return {
    name: 'konverge-taint',
    enforce: 'pre',
    load(id) {
      const path = id.split('?')[0] ?? id
      const line = path.startsWith(`${root}/`) ? lines[path.slice(root.length + 1)] : undefined
      if (line === undefined) return undefined
      const taps = "globalThis[Symbol.for('konverge.taps')]"
      return `${readFileSync(path, 'utf8')}\nif (${taps} !== undefined) { ${line(taps)} }\n`
    },
  }
}
