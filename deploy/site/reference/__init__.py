"""The reference: pages made from the registries that the program itself reads. Nothing of it is written twice."""

from collections.abc import Callable

from reference import api, catalogues, commands, crashes, figures, files, plan

PAGES: dict[str, Callable[[], str]] = {  # name of the page -> its Markdown, in the order of the menu
    "commands": commands.page_of_commands,
    "plan": plan.page_of_plan,
    "file": files.page_of_file,
    "api-operations": api.page_of_api,
    "checks": crashes.page_of_checks,
    "risks": crashes.page_of_risks,
    "figures": figures.page_of_figures,
    "server-settings": catalogues.page_of_settings,
    "recipes": catalogues.page_of_recipes,
    "builds": catalogues.page_of_builds,
    "terms": catalogues.page_of_terms,
}
