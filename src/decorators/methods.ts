/** Which methods the decorators take, for the compiler. What it cannot see is refused at the registration. */
import type { Term } from '../runtime/term.ts'

export type LeaderMethod = (term: Term) => unknown
export type PartitionMethod = (term: Term, partition: number) => unknown

/** A decorator of public methods of an object, in both of the forms that TypeScript has. */
export interface DecoratorOf<Method extends LeaderMethod | PartitionMethod> {
  /** The standard one. */
  <M extends Method>(
    method: WithParametersOf<Method, M>,
    context: ClassMethodDecoratorContext<unknown, M> & { readonly static: false; readonly private: false },
  ): void
  /** With the compiler's option `experimentalDecorators`. */
  <M extends Method>(
    target: object & { readonly prototype?: undefined },
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<WithParametersOf<Method, M>>,
  ): void
}

/** A function with fewer parameters fits where one with more is wanted: but to forget the partition is a mistake. */
type WithParametersOf<Method extends LeaderMethod | PartitionMethod, M extends Method> = Method extends LeaderMethod
  ? M
  : 2 extends Parameters<M>['length']
    ? M
    : never
