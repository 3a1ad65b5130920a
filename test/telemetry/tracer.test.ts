import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { OpenTelemetryTracer } from '../../src/telemetry/tracer.ts'
import { recordSpans } from './span-record.ts'

const none = () => ({})

describe('a span', () => {
  it('is a child of its caller’s span, across awaits and concurrent spans', async () => {
    const { tracer, tree } = recordSpans()
    await tracer.run('turn', none, async () => {
      await tracer.run('observe', none, () => Promise.resolve())
      await Promise.all(
        ['a', 'b'].map((name) =>
          tracer.run(name, none, async () => {
            await Promise.resolve()
            await tracer.run(`${name}, below`, none, () => Promise.resolve())
          }),
        ),
      )
    })
    await tracer.run('next turn', none, () => Promise.resolve())
    expect(tree()).toEqual({ turn: { observe: {}, a: { 'a, below': {} }, b: { 'b, below': {} } }, 'next turn': {} })
  })

  it('has its initial and later attributes, without undefined ones', async () => {
    const { tracer, spans } = recordSpans()
    await tracer.run(
      'turn',
      () => ({ name: 'a', namespace: undefined, causes: ['self'] }),
      (span) => {
        span.note(() => ({ outcome: 'settled', failures: 2 }))
        return Promise.resolve()
      },
    )
    expect(spans()[0]?.attributes).toEqual({ name: 'a', causes: ['self'], outcome: 'settled', failures: 2 })
  })

  it.each([
    { thrown: new CodedError({ code: 'Conflict', message: 'the secret is 1234', remedy: 'retry' }), code: 'Conflict' },
    { thrown: new TypeError('the secret is 1234'), code: 'TypeError' },
    { thrown: 'the secret is 1234', code: 'Error' },
  ])(
    'has the code $code of an error of its work, never the message, and rethrows the error',
    async ({ thrown, code }) => {
      const { tracer, spans } = recordSpans()
      await expect(tracer.run('turn', none, () => Promise.reject(thrown))).rejects.toBe(thrown)
      expect(spans()[0]).toMatchObject({ status: { code: 2, message: code }, attributes: { 'error.type': code } })
      expect(JSON.stringify({ ...spans()[0], resource: undefined, _spanProcessor: undefined })).not.toContain('1234')
    },
  )

  it('is the active span of its work', async () => {
    const { tracer, spans } = recordSpans()
    await tracer.run('turn', none, async () => {
      await Promise.resolve()
      tracer.active.note(() => ({ seen: true }))
    })
    tracer.active.fail('nobody is told')
    expect(spans()[0]).toMatchObject({ attributes: { seen: true }, status: { code: 0 } })
  })

  it('can be failed by its work without a throw', async () => {
    const { tracer, spans } = recordSpans()
    await tracer.run('turn', none, async (span) => span.fail('Timeout'))
    expect(spans()[0]).toMatchObject({ status: { code: 2, message: 'Timeout' } })
  })

  it('computes no attributes without a recorder, and returns the value', async () => {
    let asked = 0
    const attributes = () => ({ asked: asked++ })
    const work = (span: { note(attributes: () => Record<string, number>): void }) => {
      span.note(attributes)
      return Promise.resolve('value')
    }
    // No SDK is registered in this process.
    expect(await new OpenTelemetryTracer().run('turn', attributes, work)).toBe('value')
    const unsampled = new BasicTracerProvider({
      sampler: { shouldSample: () => ({ decision: 0 }), toString: () => 'never' },
      spanProcessors: [new SimpleSpanProcessor(new InMemorySpanExporter())],
    })
    expect(await new OpenTelemetryTracer({ provider: unsampled }).run('turn', attributes, work)).toBe('value')
    expect(asked).toBe(0)
  })
})
