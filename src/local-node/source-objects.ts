// Which ConfigMaps and Secrets does a container or a volume read, and what is in them? The names are told from the pod; the
// contents come in as values, so that everything made of them stays pure. Contents are secrets: no message shows them (I11).

/** Bytes by key; undefined for an object that does not exist. */
export interface SourceObjects {
  configMap(name: string): ReadonlyMap<string, Buffer> | undefined
  secret(name: string): ReadonlyMap<string, Buffer> | undefined
}

export interface SourceNames {
  readonly configMaps: ReadonlySet<string>
  readonly secrets: ReadonlySet<string>
}

/** What cannot be made as the pod asks for it, in one sentence; a kubelet tries again, and so do we. */
export class ContainerConfigError extends Error {
  override readonly name: string = 'ContainerConfigError'
}

/** A volume of the pod cannot be made, so that no container of it is begun. */
export class VolumeError extends ContainerConfigError {
  override readonly name = 'VolumeError'
  readonly volume: string

  constructor(volume: string, cause: ContainerConfigError) {
    super(cause.message, { cause })
    this.volume = volume
  }
}
