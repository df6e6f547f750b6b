document.title = 'soon'
