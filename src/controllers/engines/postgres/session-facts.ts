// What does a server say of itself and of us when a session begins? Told without asking, in its parameters.

export interface SessionFacts {
  readonly majorVersion: number
  readonly isSuperuser: boolean
}
