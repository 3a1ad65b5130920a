import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AskedCluster, bindingOf } from '../asked-cluster.ts'

const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const readPods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
const writesRoles = {
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['clusterroles', 'clusterrolebindings'],
  verbs: ['create', 'update', 'patch'],
}
const as = 'ann'
let asked: AskedCluster

beforeEach(() => {
  asked = new AskedCluster()
})

afterEach(() => asked.stop())

describe('a user who may write roles', () => {
  it('grants only rights that the user has', async () => {
    await asked.allow(writesRoles, readPods)
    const given = (verbs: readonly string[]) => ({ metadata: { name: 'given' }, rules: [{ ...readPods, verbs }] })
    const refused = await asked.create(roles, given(['get', 'list', 'watch']), { as })
    expect(refused).toMatchObject({
      status: 403,
      body: {
        message:
          'clusterroles.rbac.authorization.k8s.io "given" is forbidden: user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      },
    })
    expect((await asked.create(roles, given(['get']), { as })).status).toBe(201)
    expect((await asked.send('PUT', `${roles}/given`, given(['get', 'delete']), { as })).status).toBe(403)
    const type = 'application/merge-patch+json'
    const owned = { metadata: { finalizers: ['hold.example/on'] } }
    expect((await asked.send('PATCH', `${roles}/given`, owned, { as, type })).status).toBe(200)
  })

  it('binds only roles whose rights the user has, unless the user may bind them', async () => {
    await asked.allow(writesRoles)
    expect(await asked.create(bindings, bindingOf('none'), { as })).toMatchObject({
      status: 404,
      body: { message: 'clusterrolebindings.rbac.authorization.k8s.io "none" not found' },
    })
    expect((await asked.create(bindings, bindingOf('view'), { as })).status).toBe(403)
    const binds = {
      apiGroups: writesRoles.apiGroups,
      resources: ['clusterroles'],
      resourceNames: ['view'],
      verbs: ['bind'],
    }
    await asked.send('PUT', `${roles}/of-ann`, { metadata: { name: 'of-ann' }, rules: [writesRoles, binds] })
    expect((await asked.create(bindings, bindingOf('view'), { as })).status).toBe(201)
    expect((await asked.create(bindings, bindingOf('edit'), { as })).status).toBe(403)
  })

  it('may write an aggregationRule only as cluster-admin', async () => {
    await asked.allow(writesRoles)
    const gathering = { metadata: { name: 'all' }, aggregationRule: { clusterRoleSelectors: [{}] } }
    expect(await asked.create(roles, gathering, { as })).toMatchObject({
      status: 403,
      body: {
        message:
          'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
      },
    })
    const escalates = { apiGroups: writesRoles.apiGroups, resources: ['clusterroles'], verbs: ['escalate'] }
    await asked.send('PUT', `${roles}/of-ann`, { metadata: { name: 'of-ann' }, rules: [writesRoles, escalates] })
    expect((await asked.create(roles, gathering, { as })).status).toBe(201)
  })
})
