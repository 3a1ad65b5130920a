import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isOwnKubeconfig, kubeconfigText } from '../../src/apiserver/kubeconfig.ts'

const text = kubeconfigText({ url: 'https://127.0.0.1:6443', certificate: 'PEM\n', token: 'secret' })

describe('the kubeconfig of an embedded server', () => {
  it('contains all that a client needs', () => {
    expect(parse(text)).toMatchObject({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'konverge',
          cluster: {
            server: 'https://127.0.0.1:6443',
            'certificate-authority-data': Buffer.from('PEM\n').toString('base64'),
          },
        },
      ],
      users: [{ name: 'konverge', user: { token: 'secret' } }],
      contexts: [{ name: 'konverge', context: { cluster: 'konverge', user: 'konverge' } }],
      'current-context': 'konverge',
    })
  })

  it('is known again', () => {
    expect(isOwnKubeconfig(text)).toBe(true)
  })

  it.each([
    { title: 'nothing', other: '' },
    { title: 'YAML', other: 'current-context: konverge\n' },
    { title: 'no object', other: '[]' },
    { title: 'another context', other: '{"current-context":"dev","clusters":[{"name":"konverge"}]}' },
    { title: 'no cluster', other: '{"current-context":"konverge","clusters":[]}' },
    { title: 'another cluster', other: '{"current-context":"konverge","clusters":[{"name":"dev"}]}' },
    {
      title: 'one cluster more',
      other: '{"current-context":"konverge","clusters":[{"name":"konverge"},{"name":"production"}]}',
    },
  ])('differs from $title', ({ other }) => {
    expect(isOwnKubeconfig(other)).toBe(false)
  })
})
