// Facts about a session that the server reports at its start, as parameters.

export interface SessionFacts {
  readonly majorVersion: number
  readonly isSuperuser: boolean
}
