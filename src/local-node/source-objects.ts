// ConfigMaps and Secrets that containers and volumes read. Pure code derives the names from the pod and gets the
// contents as values. Contents are secret: no message contains them (I11).

/** Contents by key; undefined for an object that does not exist. */
export interface SourceObjects {
  configMap(name: string): ReadonlyMap<string, Buffer> | undefined
  secret(name: string): ReadonlyMap<string, Buffer> | undefined
}

export interface SourceNames {
  readonly configMaps: ReadonlySet<string>
  readonly secrets: ReadonlySet<string>
}

/** Error of a configuration that cannot be met, as one sentence; the node retries, as a kubelet does. */
export class ContainerConfigError extends Error {
  override readonly name: string = 'ContainerConfigError'
}

/** Error of a volume that cannot be made; no container of the pod starts. */
export class VolumeError extends ContainerConfigError {
  override readonly name = 'VolumeError'
  readonly volume: string

  constructor(volume: string, cause: ContainerConfigError) {
    super(cause.message, { cause })
    this.volume = volume
  }
}
