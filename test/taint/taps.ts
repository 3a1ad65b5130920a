// Taps: places where output leaves the program, and where Secret values enter it. Each tap gets a class or port of a
// module at load time (tap-plugin.ts) and observes its calls. Invariant: a tap changes no behaviour.
import { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ObjectLog } from '../../src/apiserver/object-log.ts'
import type { CodedError } from '../../src/base/errors.ts'
import type { Instruments, LogFields, MetricLabels, Span, SpanAttributes } from '../../src/base/instrument.ts'
import type { PutCall } from '../../src/controllers/stores/artifact-store.ts'
import type { HttpExchange, HttpRequest } from '../../src/kube/http-client.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { secretsIn, secretValues } from './secret-values.ts'
import type { Taint } from './taint.ts'

type Made<T> = { readonly prototype: T }
type Metric = { [method: string]: (labels: MetricLabels, amount: number) => void }

const levels = ['debug', 'info', 'warn', 'error'] as const
/** Manifests and pointers are smaller; larger artifacts contain rows of users. */
const mostArtifactBytes = 1024 * 1024
const overlapCharacters = 256
const secretsPath = /\/secrets(\/|\?|$)/
const tokenPath = /\/serviceaccounts\/[^/]+\/token/

export class Taps {
  readonly #taint: Taint

  constructor(taint: Taint) {
    this.#taint = taint
  }

  /** Secrets supply values; all other objects are output, including Events and status. */
  objectLog({ prototype }: Made<ObjectLog>): void {
    const { commit } = prototype
    const taint = this.#taint
    prototype.commit = function (place, kind, build) {
      const committed = commit.call(this, place, kind, build)
      if (place.shelf === 'secrets') addSecret(taint, JSON.parse(committed.text))
      else taint.note(`object ${place.shelf} ${place.namespace}/${place.name}`, committed.text)
      return committed
    }
  }

  /**
   * Notes an object of a fixture's API server, without spec: the tests write specs, which may contain values of later
   * Secrets.
   */
  stored({ spec: _, ...object }: KubeObject): void {
    if (object.kind === 'Secret') addSecret(this.#taint, object)
    else
      this.#taint.note(
        `object ${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
        textOf(object),
      )
  }

  /** Notes requests and responses of the API server; Secrets in them supply values. */
  http({ prototype }: Made<Pick<HttpExchange, 'exchange' | 'stream'>>): void {
    const { exchange, stream } = prototype
    const note = (request: HttpRequest, what: string, text: string) => this.#noteTravel(request, what, text)
    prototype.exchange = async function (request, signal) {
      if (request.content !== undefined) note(request, 'request', request.content.body)
      const answer = await exchange.call(this, request, signal)
      note(request, 'answer', answer)
      return answer
    }
    prototype.stream = async function* (request, signal) {
      const decoder = new TextDecoder()
      let line = ''
      for await (const bytes of stream.call(this, request, signal)) {
        line += decoder.decode(bytes, { stream: true })
        const end = line.lastIndexOf('\n') + 1
        note(request, 'watch', line.slice(0, end))
        line = line.slice(end)
        yield bytes
      }
    }
  }

  /** Notes every line, also below the level of the log. */
  logger({ prototype }: Made<Instruments['log']>, redact: (value: unknown) => unknown): void {
    for (const level of levels) {
      const write = prototype[level]
      const noteLine = (fields: LogFields, message: string) => this.#noteLine(redact(fields), message)
      prototype[level] = function (fields, message) {
        noteLine(fields, message)
        write.call(this, fields, message)
      }
    }
    const bind = prototype.with
    const noteBound = (fields: LogFields) => this.#noteLine(redact(fields), '')
    prototype.with = function (fields) {
      noteBound(fields)
      return bind.call(this, fields)
    }
  }

  /** Most tests use the silent instruments: their tap notes what real ones would get. */
  silent(instruments: Instruments): void {
    const log = instruments.log as { -readonly [Key in keyof Instruments['log']]: Instruments['log'][Key] }
    for (const level of levels) log[level] = (fields, message) => this.#noteLine(fields, message)
    const bind = log.with
    log.with = (fields) => {
      this.#noteLine(fields, '')
      return bind(fields)
    }
    this.metrics({ prototype: instruments.metrics })
    const note = (name: string, attributes: () => SpanAttributes) => this.#heardAttributes(name, attributes)()
    const span: Span = { note: (attributes) => void note('note', attributes), fail: () => {} }
    Object.assign(instruments.tracer, {
      active: span,
      run: (name: string, attributes: () => SpanAttributes, work: (span: Span) => Promise<unknown>) => {
        note(name, attributes)
        return work(span)
      },
    })
  }

  /** Notes the labels; everything else of a metric is a number or constant. */
  metrics({ prototype }: Made<Instruments['metrics']>): void {
    const taint = this.#taint
    const heard = new WeakSet<Metric>()
    for (const kind of ['counter', 'gauge', 'histogram'] as const) {
      const make = prototype[kind] as unknown as (options: { readonly name: string }) => Metric // Each method has this form.
      const made = function (this: Instruments['metrics'], options: { readonly name: string }): Metric {
        const metric = make.call(this, options)
        if (heard.has(metric)) return metric
        heard.add(metric)
        for (const [method, act] of Object.entries(metric))
          metric[method] = (labels, amount) => {
            taint.note(`metric ${options.name}`, JSON.stringify(labels))
            act(labels, amount)
          }
        return metric
      }
      Object.assign(prototype, { [kind]: made })
    }
  }

  /** Notes the attributes of spans. */
  tracer({ prototype }: Made<Instruments['tracer']>): void {
    const { run } = prototype
    const heard = (name: string, attributes: () => SpanAttributes) => this.#heardAttributes(name, attributes)
    prototype.run = function (name, attributes, work) {
      return run.call(this, name, heard(name, attributes), work) as never // The result of the work.
    }
  }

  span({ prototype }: Made<Span>): void {
    const { note } = prototype
    const heard = (attributes: () => SpanAttributes) => this.#heardAttributes('note', attributes)
    prototype.note = function (attributes) {
      note.call(this, heard(attributes))
    }
  }

  /** Adds a generated password as a secret at once, whether or not a Secret holds it later. */
  password(draw: (...input: never) => string): (...input: never) => string {
    return (...input) => {
      const password = draw(...input)
      // Short texts are ids and suffixes of names.
      if (password.length >= 24) this.#taint.add(password, 'generated password')
      return password
    }
  }

  /** Notes messages of errors, because callers report them. */
  error(made: typeof CodedError): typeof CodedError {
    const taint = this.#taint
    return new Proxy(made, {
      construct(target, input, newTarget) {
        const error = Reflect.construct(target, input, newTarget)
        taint.note(`error ${String(error.code)}`, `${error.message}`)
        return error
      },
    })
  }

  /** Notes the content that a store gets, if it is small enough for a manifest. */
  store({
    prototype,
  }: Made<{ put: (key: string, content: AsyncIterable<Uint8Array>, call: PutCall) => unknown }>): void {
    const { put } = prototype
    const taint = this.#taint
    async function* heard(key: string, content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const chunk of content) {
        size += chunk.length
        if (size <= mostArtifactBytes) chunks.push(chunk)
        yield chunk
      }
      if (size <= mostArtifactBytes) taint.note(`artifact ${key}`, Buffer.concat(chunks).toString())
    }
    prototype.put = function (key, content, call) {
      return put.call(this, key, heard(key, content), call)
    }
  }

  /** Notes standard output and standard error of every child process with pipes. */
  childProcesses(): void {
    // Every way to start a process calls this method, which Node neither types nor documents.
    const prototype = ChildProcess.prototype as unknown as { spawn: (options: { readonly file?: string }) => unknown }
    const { spawn } = prototype
    const listen = (stream: Readable | null | undefined, sink: string) => this.#listen(stream, sink)
    prototype.spawn = function (this: ChildProcess, options) {
      const started = spawn.call(this, options)
      listen(this.stdout, `standard output of ${options.file}`)
      listen(this.stderr, `standard error of ${options.file}`)
      return started
    }
  }

  /** Observes pushed chunks, so that only readers make the stream flow. */
  #listen(stream: Readable | null | undefined, sink: string): void {
    if (stream === null || stream === undefined) return
    const push = stream.push.bind(stream)
    let rest = ''
    stream.push = (chunk, encoding) => {
      if (chunk !== null) {
        const text = rest + Buffer.from(chunk).toString()
        this.#taint.note(sink, text)
        // A value may be split between two chunks.
        rest = text.slice(-overlapCharacters)
      }
      return push(chunk, encoding)
    }
  }

  #noteLine(fields: unknown, message: string): void {
    this.#taint.note('log', `${message} ${textOf(fields)}`)
  }

  #noteTravel({ method, path }: HttpRequest, what: string, text: string): void {
    if (tokenPath.test(path)) return
    if (secretsPath.test(path)) for (const secret of secretsIn(text)) addSecret(this.#taint, secret)
    else this.#taint.note(`${what} ${method} ${path}`, text)
  }

  #heardAttributes(name: string, attributes: () => SpanAttributes): () => SpanAttributes {
    return () => {
      const noted = attributes()
      this.#taint.note(`span ${name}`, textOf(noted))
      return noted
    }
  }
}

function addSecret(taint: Taint, object: unknown): void {
  for (const { value, origin } of secretValues(object)) taint.add(value, origin)
}

/** Returns JSON with the messages of errors; a value without JSON is no output. */
function textOf(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, field: unknown) => {
        if (field instanceof Error) return { message: field.message, stack: field.stack, cause: field.cause }
        return typeof field === 'bigint' ? String(field) : field
      }) ?? ''
    )
  } catch {
    return '' // A cycle.
  }
}
