import { describe, expect, it } from 'vitest'
import { VerificationTimes } from '../../src/reconcile/verification-times.ts'
import { store } from '../objects.ts'

const now = 'konverge.dev/reconcile-now'
const answers = { hasStatus: true, part: undefined, resyncMs: undefined }
const asked = (token: string | undefined, lastHandledReconcileAt?: string) =>
  store({
    metadata: { uid: 'a', annotations: token === undefined ? {} : { [now]: token } },
    status: lastHandledReconcileAt === undefined ? {} : { lastHandledReconcileAt },
  })

describe('the children of a resource', () => {
  it('are verified once for each reconcile-now', () => {
    const times = new VerificationTimes(answers)
    const due = ['none', '1', '1', '2', '2'].map((token) => times.isDue(asked(token === 'none' ? undefined : token), 0))
    expect(due).toEqual([false, true, false, true, false])
  })

  it.each([
    { title: 'answered', controller: answers, answer: '1', isDue: false },
    { title: 'not answered', controller: answers, answer: '0', isDue: true },
    {
      title: 'for a kind without status',
      controller: { ...answers, hasStatus: false },
      answer: undefined,
      isDue: false,
    },
    {
      title: 'for one of several controllers',
      controller: { ...answers, part: 'audit' },
      answer: undefined,
      isDue: false,
    },
  ])('are verified for a reconcile-now from before the start that was $title: $isDue', (row) => {
    const times = new VerificationTimes(row.controller)
    expect(times.isDue(asked('1', row.answer), 0)).toBe(row.isDue)
    expect(times.isDue(asked('1', row.answer), 1)).toBe(false)
  })

  it('are verified after each interval, and never because the process starts', () => {
    const times = new VerificationTimes({ ...answers, resyncMs: 60_000 })
    const due = [0, 30_000, 60_000, 61_000, 125_000].map((ms) => times.isDue(asked(undefined), ms))
    expect(due).toEqual([false, false, true, false, true])
  })

  it('are forgotten with it', () => {
    const times = new VerificationTimes({ ...answers, resyncMs: 60_000 })
    times.isDue(asked(undefined), 0)
    times.forget('a')
    expect(times.isDue(asked(undefined), 60_000)).toBe(false)
  })
})
