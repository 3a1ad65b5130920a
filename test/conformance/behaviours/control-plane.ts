// Effects of admission and controllers on the objects of users. Each behaviour waits until the controllers are idle.
import { expect } from 'vitest'
import { area } from '../area.ts'
import { apiVersionOf, autoscalers, claims, cronJobs, events, jobs, object, pod, pods, services } from '../kinds.ts'
import { at, taken, textAt } from '../stage.ts'

const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: 'none',
}

export const controlPlane = area(
  'control-plane',
  (it) => {
    it('sets the default service account on a pod, and mounts its token', async (stage) => {
      const made = await stage.made(pods, pod('tokened'))
      const name = textAt(made, 'spec.volumes.0.name')
      expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(at(made, 'spec.serviceAccountName')).toBe('default')
      expect(at(made, 'spec.serviceAccount')).toBe('default')
      expect(at(made, 'spec.containers.0.volumeMounts')).toEqual([
        { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
      ])
      expect(at(made, 'spec.volumes')).toEqual([
        {
          name,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
          },
        },
      ])
    })

    it('mounts no token in a pod that disables it', async (stage) => {
      const made = await stage.made(pods, pod('tokenless', { automountServiceAccountToken: false }))
      expect(at(made, 'spec.serviceAccountName')).toBe('default')
      expect(at(made, 'spec.volumes')).toBe(undefined)
    })

    it('protects a claim from its creation, and deletes an unused one', async (stage) => {
      const made = await stage.made(claims, object(claims, 'kept', { spec: claimSpec }))
      expect(at(made, 'metadata.finalizers')).toEqual(['kubernetes.io/pvc-protection'])
      taken(await stage.delete(claims, 'kept'))
      await stage.gone(claims, 'kept')
    })

    it('rejects the expansion of an unbound claim', async (stage) => {
      const made = await stage.made(claims, object(claims, 'growing', { spec: claimSpec }))
      const grown = { ...claimSpec, resources: { requests: { storage: '2Gi' } } }
      const { status, body } = await stage.update(claims, { ...made, spec: { ...grown, volumeMode: 'Filesystem' } })
      expect(status).toBe(422)
      expect(textAt(body, 'message')).toMatch(
        /^PersistentVolumeClaim "growing" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims/,
      )
    })

    it('starts a job at its scheduled time, and reports it', async (stage) => {
      const podSpec = {
        schedulerName: 'none',
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'example:1' }],
      }
      const jobTemplate = {
        metadata: { labels: { app: 'tick' }, annotations: { note: 'kept' } },
        spec: { template: { spec: podSpec } },
      }
      // The Job is due at once, and not again within its minute.
      const schedule = { schedule: '@every 1s', concurrencyPolicy: 'Forbid' }
      const owner = await stage.made(cronJobs, object(cronJobs, 'tick', { spec: { ...schedule, jobTemplate } }))
      const { body } = await stage.eventually(
        () => stage.get(cronJobs, 'tick'),
        ({ body }) => at(body, 'status.active') !== undefined,
      )
      const { body: job } = await stage.get(jobs, textAt(body, 'status.active.0.name'))
      const scheduled = textAt(body, 'status.lastScheduleTime')
      expect(at(job, 'metadata')).toMatchObject({
        name: `tick-${Math.floor(Date.parse(scheduled) / 60_000)}`,
        labels: { app: 'tick' },
        annotations: { note: 'kept', 'batch.kubernetes.io/cronjob-scheduled-timestamp': scheduled },
        ownerReferences: [
          {
            ...{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: textAt(owner, 'metadata.uid') },
            ...{ controller: true, blockOwnerDeletion: true },
          },
        ],
      })
      expect(at(body, 'status')).toEqual({
        active: [
          {
            ...{ kind: 'Job', apiVersion: 'batch/v1', namespace: stage.namespace, name: textAt(job, 'metadata.name') },
            ...{ uid: textAt(job, 'metadata.uid'), resourceVersion: expect.stringMatching(/^[0-9]+$/) },
          },
        ],
        lastScheduleTime: scheduled,
      })
      const told = await stage.eventually(
        () => stage.list(events, { fieldSelector: 'involvedObject.name=tick,reason=SuccessfulCreate' }),
        ({ body }) => at(body, 'items.0') !== undefined,
      )
      expect(at(told.body, 'items.0')).toMatchObject({
        ...{ type: 'Normal', message: `Created job ${textAt(job, 'metadata.name')}` },
        source: { component: 'cronjob-controller' },
      })
    })

    it('shows an autoscaler in both versions, whichever version wrote it', async (stage) => {
      const old = { ...autoscalers, version: 'v1' }
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }
      const queue = {
        type: 'External',
        external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } },
      }
      await stage.made(old, object(old, 'older', { spec: { scaleTargetRef, maxReplicas: 4 } }))
      const newer = { scaleTargetRef, maxReplicas: 4, metrics: [queue] }
      await stage.made(autoscalers, object(autoscalers, 'newer', { spec: newer }))
      const shown = await Promise.all([
        stage.get(autoscalers, 'older'),
        stage.get(old, 'newer'),
        stage.get(old, 'older'),
      ])
      expect(shown.map(({ body }) => at(body, 'apiVersion'))).toEqual([
        apiVersionOf(autoscalers),
        'autoscaling/v1',
        'autoscaling/v1',
      ])
      const [asNew, asOld, same] = shown.map(({ body }) => body)
      expect(at(asNew ?? null, 'spec.metrics')).toEqual([
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ])
      expect(JSON.parse(String(Object.values(at(asOld ?? null, 'metadata.annotations') ?? {})[0]))).toEqual([
        { type: 'External', external: { metricName: 'queue', targetValue: '30' } },
      ])
      expect(at(same ?? null, 'spec')).toEqual({
        ...{ scaleTargetRef, minReplicas: 1, maxReplicas: 4, targetCPUUtilizationPercentage: 80 },
      })
      expect(at(same ?? null, 'metadata.managedFields.0.apiVersion')).toBe('autoscaling/v1')
      const grown = { spec: { targetCPUUtilizationPercentage: 50 } }
      taken(await stage.patch('merge', old, 'older', grown))
      const { body } = await stage.get(autoscalers, 'older')
      expect(at(body, 'spec.metrics.0.resource.target.averageUtilization')).toBe(50)
      expect(at(body, 'metadata.annotations')).toBe(undefined)
    })

    it('has a Service for the API server', async (stage) => {
      const { body } = await stage.get(services, 'kubernetes', { namespace: 'default' })
      expect(body).toMatchObject({
        metadata: {
          labels: { component: 'apiserver', provider: 'kubernetes' },
          managedFields: [{ manager: 'kube-apiserver', operation: 'Update', apiVersion: 'v1' }],
        },
        status: { loadBalancer: {} },
      })
      expect(at(body, 'spec')).toEqual({
        ...{ clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], type: 'ClusterIP', sessionAffinity: 'None' },
        ...{ internalTrafficPolicy: 'Cluster', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: expect.any(Number) }],
      })
    })
  },
  { runs: 'together' },
)
