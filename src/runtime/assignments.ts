/** The assignment of each group of this client, kept between two views so that only what has changed is worked out. */
import { type Assignment, type AssignmentOptions, createAssignment } from '../model/assignment/assignment.ts'

export class Assignments {
  readonly #byGroup = new Map<string, Assignment>()

  of(options: AssignmentOptions): Assignment {
    let assignment = this.#byGroup.get(options.group)
    if (!assignment) {
      assignment = createAssignment(options)
      this.#byGroup.set(options.group, assignment)
    }
    return assignment
  }

  forget(group: string): void {
    this.#byGroup.delete(group)
  }
}
