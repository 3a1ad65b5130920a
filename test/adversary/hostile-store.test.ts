// Attempts of a server at the endpoint of a backup target that sends arbitrary responses to the worker.
import { afterEach, describe, expect, it } from 'vitest'
import { hostileStoreAttempts } from './attempts/hostile-store.ts'
import { HostileStore } from './hostile-store.ts'
import { pending } from './pending.ts'

let store: HostileStore | undefined
afterEach(() => store?.stop())

describe('a hostile store', () => {
  for (const { attacker, does, sentence, answers, asks, expected, unheard } of hostileStoreAttempts) {
    const isPending = pending.some(({ attempt }) => attempt === `${attacker} ${does}`)
    it.skipIf(isPending)(`${does}: ${sentence}`, async () => {
      store = await HostileStore.start(answers)
      const said = await asks(store).then(
        (value) => JSON.stringify(value),
        (thrown: Error) => `${thrown.name} ${(thrown as { code?: string }).code ?? ''} ${thrown.message}`,
      )
      expect(said).toMatch(expected)
      expect(store.heard).not.toBe('')
      if (unheard !== undefined) expect(store.heard).not.toMatch(unheard)
      expect(store.sentBytes).toBeLessThan(HostileStore.mostBytes)
      expect(store.heard).not.toContain(HostileStore.secretAccessKey)
    })
  }
})
