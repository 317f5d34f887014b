import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';

/** What GitHub's own parser finds in a workflow; it has their schema. */
export async function workflowErrors(content: string): Promise<readonly string[]> {
  const file = { name: 'search.yml', content };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}
