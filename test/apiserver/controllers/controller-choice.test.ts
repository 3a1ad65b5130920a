import { describe, expect, it } from 'vitest'
import { controllerChoice } from '../../../src/apiserver/controllers/controller-choice.ts'

const known = ['garbage-collector-controller', 'namespace-controller', 'job-controller', 'kube-scheduler']

describe('a choice of controllers', () => {
  it.each<{ words: readonly string[]; chosen: readonly string[] }>([
    { words: [], chosen: [] },
    { words: ['none'], chosen: [] },
    { words: ['*'], chosen: known },
    { words: ['job', 'garbage-collector'], chosen: ['garbage-collector-controller', 'job-controller'] },
    { words: ['garbagecollector', 'kube-scheduler'], chosen: ['garbage-collector-controller', 'kube-scheduler'] },
    { words: ['namespace-controller'], chosen: ['namespace-controller'] },
    {
      words: ['*', '-job', '-kube-scheduler'],
      chosen: ['garbage-collector-controller', 'namespace-controller'],
    },
    { words: ['-job', 'job', 'namespace'], chosen: ['namespace-controller'] },
  ])('resolves $words to $chosen', ({ words, chosen }) => {
    expect(controllerChoice(words, known)).toEqual({ chosen, unknown: [] })
  })

  it('reports unknown names', () => {
    expect(controllerChoice(['*', 'nope', '-jobs', 'none'], known).unknown).toEqual(['nope', '-jobs', 'none'])
  })
})
