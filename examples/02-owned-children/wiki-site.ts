// Objects that serve a wiki: its pages on a volume, a Job that migrates them, the servers after it, and a Service. An
// ordinary construct: it does not depend on konverge's reconciles, and works in a plain cdk8s app too.
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
// Outside this repository: from 'konverge'.
import { recreateOnChange, shared, waitForReady } from '../../src/index.ts'

export interface WikiSiteProps {
  readonly name: string
  readonly image: string
  readonly storage: string
  /** CSS. */
  readonly style: string
}

export class WikiSite extends Construct {
  constructor(scope: Construct, id: string, { name, image, storage, style }: WikiSiteProps) {
    super(scope, id)
    const labels = { 'example.com/wiki': name }
    const volumes = [{ name: 'pages', persistentVolumeClaim: { claimName: `${name}-pages` } }]
    const mounted = { image, volumeMounts: [{ name: 'pages', mountPath: '/pages' }] }

    const pages = new ApiObject(this, 'pages', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `${name}-pages` },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage } } },
    })
    const migration = new ApiObject(this, 'migration', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `${name}-migration` },
      spec: {
        template: {
          spec: {
            restartPolicy: 'OnFailure',
            volumes,
            containers: [{ name: 'migrate', args: ['migrate'], ...mounted }],
          },
        },
      },
    })
    const server = new ApiObject(this, 'server', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { volumes, containers: [{ name: 'serve', env: [{ name: 'STYLE', value: style }], ...mounted }] },
        },
      },
    })
    new ApiObject(this, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP' }] },
    })

    recreateOnChange(migration)
    shared(server, 'spec.replicas')
    migration.addDependency(pages)
    waitForReady(server, migration)
  }
}
